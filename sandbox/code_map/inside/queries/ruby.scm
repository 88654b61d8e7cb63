(method name: (_) @n) @d.method
(singleton_method name: (_) @n) @d.method
(class name: (constant) @n) @d.class
(module name: (constant) @n) @d.module
(assignment left: (constant) @n) @d.constant
(call method: (identifier) @r)
(identifier) @r
(constant) @r
(call method: (identifier) @_f arguments: (argument_list (string (string_content) @i)) (#match? @_f "^(require|require_relative|load)$"))
