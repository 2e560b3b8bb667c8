/** What would become of the jobs of a cluster that were gone. */
@NullMarked
package dev.fairlead.work.placement.drill;

import org.jspecify.annotations.NullMarked;
