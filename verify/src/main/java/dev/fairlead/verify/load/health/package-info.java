/** Cost of a fault from its report to the next run of its job, and of stored health data. */
@NullMarked
package dev.fairlead.verify.load.health;

import org.jspecify.annotations.NullMarked;
