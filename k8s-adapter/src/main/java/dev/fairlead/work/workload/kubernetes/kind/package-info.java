/** Kinds of workload objects that are described by one YAML file each. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.kind;

import org.jspecify.annotations.NullMarked;
