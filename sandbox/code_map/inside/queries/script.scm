(function_declaration name: (identifier) @n) @d.function
(generator_function_declaration name: (identifier) @n) @d.function
(class_declaration name: (_) @n) @d.class
(method_definition name: (_) @n) @d.method
(variable_declarator name: (identifier) @n value: [(arrow_function) (function_expression) (class)]) @d.function
(program (lexical_declaration (variable_declarator name: (identifier) @n) @d.constant))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @n) @d.constant)))
(call_expression function: (identifier) @r)
(member_expression property: (property_identifier) @r)
(new_expression constructor: (identifier) @r)
(arguments (identifier) @r)
(variable_declarator value: (identifier) @r)
(pair value: (identifier) @r)
(array (identifier) @r)
(return_statement (identifier) @r)
(template_substitution (identifier) @r)
(for_in_statement right: (identifier) @r)
(spread_element (identifier) @r)
; a constant, wherever it is read
((identifier) @r (#match? @r "^_*[A-Z][A-Z0-9_]+$"))
(import_specifier name: (identifier) @r)
(import_clause (identifier) @r)
(import_statement source: (string (string_fragment) @i))
(export_statement source: (string (string_fragment) @i))
(call_expression function: (identifier) @_f arguments: (arguments (string (string_fragment) @i)) (#eq? @_f "require"))
(call_expression function: (import) arguments: (arguments (string (string_fragment) @i)))
