/** Slurm clusters, by the REST interface of slurmrestd. */
@NullMarked
package dev.fairlead.work.workload.slurm;

import org.jspecify.annotations.NullMarked;
