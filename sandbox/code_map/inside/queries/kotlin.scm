(function_declaration name: (identifier) @n) @d.function
(class_declaration name: (identifier) @n) @d.class
(object_declaration name: (identifier) @n) @d.class
(call_expression (identifier) @r)
(call_expression (navigation_expression (identifier) @r))
(user_type (identifier) @r)
(import (qualified_identifier) @i)
