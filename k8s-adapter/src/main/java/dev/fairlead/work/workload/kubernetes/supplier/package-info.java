/** Suppliers of nodes that are called by webhook. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.supplier;

import org.jspecify.annotations.NullMarked;
