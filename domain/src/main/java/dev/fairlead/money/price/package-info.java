/** The price book: prices of GPU-hours and storage with scope and validity. */
@NullMarked
package dev.fairlead.money.price;

import org.jspecify.annotations.NullMarked;
