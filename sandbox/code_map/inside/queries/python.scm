(function_definition name: (identifier) @n) @d.function
(class_definition name: (identifier) @n) @d.class
(module (expression_statement (assignment left: (identifier) @n) @d.constant))
(call function: (identifier) @r)
(attribute attribute: (identifier) @r)
(decorator (identifier) @r)
(argument_list (identifier) @r)
(keyword_argument value: (identifier) @r)
(type (identifier) @r)
(import_from_statement name: (dotted_name (identifier) @r))
(import_from_statement name: (aliased_import name: (dotted_name (identifier) @r)))
(import_statement name: (dotted_name) @i)
(import_statement name: (aliased_import name: (dotted_name) @i))
(import_from_statement module_name: (_) @i)
