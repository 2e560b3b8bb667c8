/**
 * Nodes as a cluster shows them, what pods of others use of them, and the marks that we put on
 * them.
 */
@NullMarked
package dev.fairlead.work.workload.kubernetes.node;

import org.jspecify.annotations.NullMarked;
