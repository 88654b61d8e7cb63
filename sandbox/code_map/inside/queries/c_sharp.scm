(class_declaration name: (identifier) @n) @d.class
(interface_declaration name: (identifier) @n) @d.type
(struct_declaration name: (identifier) @n) @d.type
(record_declaration name: (identifier) @n) @d.class
(enum_declaration name: (identifier) @n) @d.type
(method_declaration name: (identifier) @n) @d.method
(constructor_declaration name: (identifier) @n) @d.method
(property_declaration name: (identifier) @n) @d.method
(local_function_statement name: (identifier) @n) @d.function
(invocation_expression function: (identifier) @r)
(member_access_expression name: (identifier) @r)
(member_access_expression expression: (identifier) @r)
(object_creation_expression type: (identifier) @r)
(base_list (identifier) @r)
(parameter type: (identifier) @r)
(argument (identifier) @r)
(using_directive (qualified_name) @i)
(using_directive (identifier) @i)
