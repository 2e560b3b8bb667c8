/** GPUs by dynamic resource allocation: published devices, and claims for them. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.dra;

import org.jspecify.annotations.NullMarked;
