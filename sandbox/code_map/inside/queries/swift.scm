(function_declaration name: (simple_identifier) @n) @d.function
(class_declaration name: (type_identifier) @n) @d.class
(protocol_declaration name: (type_identifier) @n) @d.type
(call_expression (simple_identifier) @r)
(navigation_suffix suffix: (simple_identifier) @r)
(type_identifier) @r
(import_declaration (identifier) @i)
