/** What the fleet was used for: intervals of use and of states add up to the time of every GPU. */
@NullMarked
package dev.fairlead.usage;

import org.jspecify.annotations.NullMarked;
