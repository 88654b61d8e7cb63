(abstract_class_declaration name: (_) @n) @d.class
(interface_declaration name: (_) @n) @d.type
(type_alias_declaration name: (_) @n) @d.type
(enum_declaration name: (_) @n) @d.type
(extends_clause value: (identifier) @r)
(type_identifier) @r
(as_expression (identifier) @r)
(satisfies_expression (identifier) @r)
