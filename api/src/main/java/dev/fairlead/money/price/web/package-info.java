/** REST endpoints of the price book. */
@NullMarked
package dev.fairlead.money.price.web;

import org.jspecify.annotations.NullMarked;
