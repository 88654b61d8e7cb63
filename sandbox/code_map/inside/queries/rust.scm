(function_item name: (identifier) @n) @d.function
(function_signature_item name: (identifier) @n) @d.function
(struct_item name: (type_identifier) @n) @d.type
(enum_item name: (type_identifier) @n) @d.type
(trait_item name: (type_identifier) @n) @d.type
(type_item name: (type_identifier) @n) @d.type
(const_item name: (identifier) @n) @d.constant
(static_item name: (identifier) @n) @d.constant
(macro_definition name: (identifier) @n) @d.macro
(call_expression function: (identifier) @r)
(scoped_identifier name: (identifier) @r)
(field_expression field: (field_identifier) @r)
(macro_invocation macro: (identifier) @r)
(arguments (identifier) @r)
(token_tree (identifier) @r)
(type_identifier) @r
(use_declaration argument: (_) @i)
(mod_item name: (identifier) @i !body)
