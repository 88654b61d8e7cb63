(class_declaration name: (identifier) @n) @d.class
(interface_declaration name: (identifier) @n) @d.type
(enum_declaration name: (identifier) @n) @d.type
(record_declaration name: (identifier) @n) @d.class
(method_declaration name: (identifier) @n) @d.method
(constructor_declaration name: (identifier) @n) @d.method
(method_invocation name: (identifier) @r)
(method_invocation object: (identifier) @r)
(method_reference (identifier) @r)
(type_identifier) @r
(import_declaration (scoped_identifier) @i)
