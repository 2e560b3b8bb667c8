/** What a job's whole life costs, from the submit to the stored end, beside other job queues. */
@NullMarked
package dev.fairlead.bench.queue;

import org.jspecify.annotations.NullMarked;
