/** Jobs of front clusters: their state, and their translation to job specs. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.front;

import org.jspecify.annotations.NullMarked;
