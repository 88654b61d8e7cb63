(class_specifier name: (type_identifier) @n body: (_)) @d.class
(function_definition declarator: (function_declarator declarator: (field_identifier) @n)) @d.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @n))) @d.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @n))) @d.function
(namespace_definition name: (_) @n) @d.module
(qualified_identifier name: (identifier) @r)
(template_function name: (identifier) @r)
