/** Suppliers of nodes that are asked by webhook. */
@NullMarked
package dev.fairlead.workload.kubernetes.supplier;

import org.jspecify.annotations.NullMarked;
