/** In-memory twin of the job store, with every guard of the real one. */
@NullMarked
package dev.fairlead.work.job.memory;

import org.jspecify.annotations.NullMarked;
