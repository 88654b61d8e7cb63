(class_heritage (identifier) @r)
