/** Usage of the fleet: intervals of usage and of states add up to the time of every GPU. */
@NullMarked
package dev.fairlead.money.usage;

import org.jspecify.annotations.NullMarked;
