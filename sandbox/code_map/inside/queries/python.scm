(function_definition name: (identifier) @n) @d.function
(class_definition name: (identifier) @n) @d.class
(module (expression_statement (assignment left: (identifier) @n) @d.constant))
(call function: (identifier) @r)
(attribute attribute: (identifier) @r)
(decorator (identifier) @r)
(argument_list (identifier) @r)
(keyword_argument value: (identifier) @r)
(type (identifier) @r)
(interpolation (identifier) @r)
(for_statement right: (identifier) @r)
(for_in_clause right: (identifier) @r)
; a constant, wherever it is read
((identifier) @r (#match? @r "^_*[A-Z][A-Z0-9_]+$"))
(import_from_statement name: (dotted_name (identifier) @r))
(import_from_statement name: (aliased_import name: (dotted_name (identifier) @r)))
(import_statement name: (dotted_name) @i)
(import_statement name: (aliased_import name: (dotted_name) @i))
(import_from_statement module_name: (_) @i)
