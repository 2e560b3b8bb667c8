/** Repairers of machines over HTTPS. */
@NullMarked
package dev.fairlead.workload.kubernetes.repairer;

import org.jspecify.annotations.NullMarked;
