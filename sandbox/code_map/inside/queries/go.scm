(function_declaration name: (identifier) @n) @d.function
(method_declaration name: (field_identifier) @n) @d.method
(type_declaration (type_spec name: (type_identifier) @n) @d.type)
(source_file (const_declaration (const_spec name: (identifier) @n) @d.constant))
(source_file (var_declaration (var_spec name: (identifier) @n) @d.constant))
(call_expression function: (identifier) @r)
(selector_expression field: (field_identifier) @r)
(argument_list (identifier) @r)
(type_identifier) @r
(import_spec path: (_) @i)
