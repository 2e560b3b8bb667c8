/** Slurm and Fairlead with the same jobs on the same machine. */
@NullMarked
package dev.fairlead.verify.load.slurm;

import org.jspecify.annotations.NullMarked;
