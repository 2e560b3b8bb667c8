/**
 * Cost of a job's whole life, from the submit to the stored end, compared with other job queues.
 */
@NullMarked
package dev.fairlead.bench.queue;

import org.jspecify.annotations.NullMarked;
