/** Places the members of an element, all or none. */
@NullMarked
package dev.fairlead.work.placement.gang;

import org.jspecify.annotations.NullMarked;
