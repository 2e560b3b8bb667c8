/** REST endpoints of usage reports. */
@NullMarked
package dev.fairlead.money.usage.web;

import org.jspecify.annotations.NullMarked;
