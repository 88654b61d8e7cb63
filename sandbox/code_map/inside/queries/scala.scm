(function_definition name: (identifier) @n) @d.function
(class_definition name: (identifier) @n) @d.class
(object_definition name: (identifier) @n) @d.class
(trait_definition name: (identifier) @n) @d.type
(call_expression function: (identifier) @r)
(field_expression field: (identifier) @r)
(type_identifier) @r
(import_declaration) @i
