/** Use cases of licences and their holds. */
@NullMarked
package dev.fairlead.fleet.licence.service;

import org.jspecify.annotations.NullMarked;
