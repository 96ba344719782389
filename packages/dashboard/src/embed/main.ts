import { mount } from 'svelte';
import Embed from './embed.svelte';

const target = document.querySelector('#app');
if (target) mount(Embed, { target });
