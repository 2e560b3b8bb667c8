/** Repairers of machines over HTTPS. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.repairer;

import org.jspecify.annotations.NullMarked;
