/** One pass of a supervisor over attempts of its cluster, and what lasts between passes. */
@NullMarked
package dev.fairlead.work.workload.service.pass;

import org.jspecify.annotations.NullMarked;
