(function_definition name: (word) @n) @d.function
(command name: (command_name (word) @r))
(command name: (command_name (word) @_f) argument: (_) @i (#match? @_f "^(source|[.])$"))
