/** Use cases of members of tenants and projects. */
@NullMarked
package dev.fairlead.people.membership.service;

import org.jspecify.annotations.NullMarked;
