/** What the fleet was used for: intervals of use and of states add up to the time of every GPU. */
@NullMarked
package dev.fairlead.money.usage;

import org.jspecify.annotations.NullMarked;
