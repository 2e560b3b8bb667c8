/** What a fault costs from its report to the next run of its job, and what stored health costs. */
@NullMarked
package dev.fairlead.bench.health;

import org.jspecify.annotations.NullMarked;
