/** Places the members of an element, all or none. */
@NullMarked
package dev.fairlead.placement.gang;

import org.jspecify.annotations.NullMarked;
