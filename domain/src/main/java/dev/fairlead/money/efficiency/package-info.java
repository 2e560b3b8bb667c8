/** GPU efficiency of attempts, from the Prometheus of a cluster. */
@NullMarked
package dev.fairlead.money.efficiency;

import org.jspecify.annotations.NullMarked;
