/**
 * Cost of a job's whole life, from the submit to the stored end, compared with other job queues.
 */
@NullMarked
package dev.fairlead.verify.load.queue;

import org.jspecify.annotations.NullMarked;
