(function_definition declarator: (function_declarator declarator: (identifier) @n)) @d.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @n))) @d.function
(struct_specifier name: (type_identifier) @n body: (_)) @d.type
(union_specifier name: (type_identifier) @n body: (_)) @d.type
(enum_specifier name: (type_identifier) @n body: (_)) @d.type
(type_definition declarator: (type_identifier) @n) @d.type
(preproc_def name: (identifier) @n) @d.macro
(preproc_function_def name: (identifier) @n) @d.macro
(call_expression function: (identifier) @r)
(field_expression field: (field_identifier) @r)
(argument_list (identifier) @r)
(type_identifier) @r
(preproc_include path: (_) @i)
