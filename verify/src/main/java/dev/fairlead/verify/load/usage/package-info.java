/** Cost of a year of use: its reports, its roll-up, and its effect on the live path. */
@NullMarked
package dev.fairlead.verify.load.usage;

import org.jspecify.annotations.NullMarked;
