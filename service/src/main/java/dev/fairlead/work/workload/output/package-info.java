/** Output of members: collected from clusters into the log store, and read from both. */
@NullMarked
package dev.fairlead.work.workload.output;

import org.jspecify.annotations.NullMarked;
