/** Pods of an attempt: their manifests, states, logs and sessions. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.pod;

import org.jspecify.annotations.NullMarked;
