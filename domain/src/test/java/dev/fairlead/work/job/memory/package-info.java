/** In-memory implementation of the job store, with every guard of the real store. */
@NullMarked
package dev.fairlead.work.job.memory;

import org.jspecify.annotations.NullMarked;
