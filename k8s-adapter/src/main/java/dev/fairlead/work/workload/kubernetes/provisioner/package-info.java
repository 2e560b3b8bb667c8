/** Suppliers of nodes that are called by webhook. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.provisioner;

import org.jspecify.annotations.NullMarked;
