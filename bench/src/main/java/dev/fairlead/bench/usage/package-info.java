/** What a year of use costs: its reports, its roll-up, and the live path beside it. */
@NullMarked
package dev.fairlead.bench.usage;

import org.jspecify.annotations.NullMarked;
