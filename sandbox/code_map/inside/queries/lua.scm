(function_declaration name: (identifier) @n) @d.function
(function_declaration name: (dot_index_expression field: (identifier) @n)) @d.function
(function_declaration name: (method_index_expression method: (identifier) @n)) @d.method
(function_call name: (identifier) @r)
(function_call name: (dot_index_expression field: (identifier) @r))
(function_call name: (method_index_expression method: (identifier) @r))
(function_call name: (identifier) @_f arguments: (arguments (string content: (string_content) @i)) (#eq? @_f "require"))
