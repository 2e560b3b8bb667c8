/** Jobs of front clusters: what they say, and what they ask for in the words of a job. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.front;

import org.jspecify.annotations.NullMarked;
