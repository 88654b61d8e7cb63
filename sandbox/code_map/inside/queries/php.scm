(function_definition name: (name) @n) @d.function
(class_declaration name: (name) @n) @d.class
(interface_declaration name: (name) @n) @d.type
(trait_declaration name: (name) @n) @d.type
(enum_declaration name: (name) @n) @d.type
(method_declaration name: (name) @n) @d.method
(function_call_expression function: (name) @r)
(function_call_expression function: (qualified_name (name) @r))
(member_call_expression name: (name) @r)
(scoped_call_expression name: (name) @r)
(scoped_call_expression scope: (name) @r)
(object_creation_expression (name) @r)
(named_type (name) @r)
(base_clause (name) @r)
(class_interface_clause (name) @r)
(namespace_use_clause (qualified_name) @i)
(require_expression (string (string_content) @i))
(require_once_expression (string (string_content) @i))
(include_expression (string (string_content) @i))
(include_once_expression (string (string_content) @i))
